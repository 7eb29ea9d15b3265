"""What both web applications share: pages, people, and the log of versioned items."""
