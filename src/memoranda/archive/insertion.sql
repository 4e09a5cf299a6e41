-- sessions: tasks with one of these sessions
select host, session, id from task where team = :team and session in :sessions[]

-- numbers: the given numbers that are in use, or were used by removed tasks
select number from task where team = :team and number in :numbers[int]
union
select cast(substr(event_key, 6) as integer) from tombstone
where team = :team and event_key >= 'task ' and event_key < 'task!'
  and cast(substr(event_key, 6) as integer) in :numbers[int]

-- highest: highest task number, including removed tasks
select coalesce(max(number), 0) from (
  select max(number) as number from task where team = :team
  union all
  select max(cast(substr(event_key, 6) as integer)) from tombstone
  where team = :team and event_key >= 'task ' and event_key < 'task!') numbers

-- checkpoint_sequences: numbers in use in a task
select sequence from checkpoint
where team = :team and task = :task and sequence in :sequences[int]

-- label: block with this label in a place
select 1 from block
where team = :team and label = :label and coalesce(workspace, '') = coalesce(:workspace, '')
  and coalesce(task, '') = coalesce(:task, '') and coalesce(agent, '') = coalesce(:agent, '')
  and shared = :shared and deleted_at is null
