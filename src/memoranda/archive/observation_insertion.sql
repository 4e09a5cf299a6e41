-- places: tasks with what their observations are named by and keyed with
select id, workspace, number, host, session from task where team = :team and id in :ids[]

-- keys: those of these keys that an observation has
select event_key from observation where team = :team and event_key in :keys[]

-- sequences: numbers in a task that are taken
select sequence from observation
where team = :team and task = :task and sequence in :sequences[int]
