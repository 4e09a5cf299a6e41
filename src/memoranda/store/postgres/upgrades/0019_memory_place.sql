-- What a new memory is compared with: the newest in use of its workspace and of the team, without a
-- look at all others.
create index memory_in_place on memory (team, workspace, id, visibility, agent)
where status in ('approved', 'pending');
