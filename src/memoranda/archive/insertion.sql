-- sessions: tasks that have one of these
select host, session, id from task where team = :team and session in :sessions[]

-- numbers: those of these that are taken
select number from task where team = :team and number in :numbers[int]

-- highest: the highest number of a task
select coalesce(max(number), 0) from task where team = :team

-- checkpoint_sequences: numbers in a task that are taken
select sequence from checkpoint
where team = :team and task = :task and sequence in :sequences[int]

-- label: a block with this label in a place
select 1 from block
where team = :team and label = :label and coalesce(workspace, '') = coalesce(:workspace, '')
  and coalesce(task, '') = coalesce(:task, '') and coalesce(agent, '') = coalesce(:agent, '')
  and shared = :shared and deleted_at is null
