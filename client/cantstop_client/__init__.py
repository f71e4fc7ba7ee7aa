"""The client: session (connect, resume), view (what there is to show), render (to text), faces.

It holds no rules: what may be done, and what it would lead to, is what the server says.
"""
