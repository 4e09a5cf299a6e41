-- Browser sessions of the web interface are credentials too, which record how they were created.

alter table credential add column parent plain; -- for a session, the credential that started it: local, own:ID or outside:ID
