"""The pages for people, one blueprint, one module and one folder of templates each.

A page shows the scoreboard of this moment; live ones ask for their fragment again whenever the
stream tells of a change, so the server alone makes HTML. Every post is a plain form and ends in
the page again, so that all of it works without JavaScript.
"""
