-- People who signed in to the web page: a credential too, which says what it was made with.

alter table credential add column parent text; -- of a session: local, own:ID or outside:ID
