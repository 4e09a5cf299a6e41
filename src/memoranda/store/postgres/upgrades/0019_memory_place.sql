-- Memories that a new one is compared with: the newest in use in its workspace and team, found
-- without scanning the others.
create index memory_in_place on memory (team, workspace, id, visibility, agent)
where status in ('approved', 'pending');
