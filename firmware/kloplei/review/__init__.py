"""The ears in the table unit: from what sensors found to the inbox, the review and the tuning."""
