-- places: task data for the names and keys of observations
select id, workspace, number, host, session from task where team = :team and id in :ids[]

-- keys: the given keys that an observation has
select event_key from observation where team = :team and event_key in :keys[]

-- sequences: sequence numbers in use in a task
select sequence from observation
where team = :team and task = :task and sequence in :sequences[int]
