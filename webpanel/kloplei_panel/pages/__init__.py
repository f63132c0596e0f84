"""The pages for people, one blueprint each."""
