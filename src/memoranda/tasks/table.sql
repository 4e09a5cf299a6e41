-- by_id: one task
select team, id, number, workspace, agent, goal, status, host, session, started_at, last_event_at,
  ended_at, observations, tokens
from task where team = :team and id = :id

-- by_number: one task by its short name
select team, id, number, workspace, agent, goal, status, host, session, started_at, last_event_at,
  ended_at, observations, tokens
from task where team = :team and number = :number

-- by_session: the task of a host's session
select team, id, number, workspace, agent, goal, status, host, session, started_at, last_event_at,
  ended_at, observations, tokens
from task where team = :team and host = :host and session = :session

-- sessions: which sessions of a host have a task
select session from task where team = :team and host = :host and session in :sessions[]

-- first_start: start of a host's first session
select min(started_at) from task where team = :team and host = :host

-- of_session: tasks with a session id, from any host
select team, id, number, workspace, agent, goal, status, host, session, started_at, last_event_at,
  ended_at, observations, tokens
from task where team = :team and session = :session limit 10

-- named: tasks with a caller's name, alone or with the name of a workspace
select team, id, number, workspace, agent, goal, status, host, session, started_at, last_event_at,
  ended_at, observations, tokens
from task
where team = :team and host = :host
  and (session = :name or (session >= :low and session < :high))
order by number limit 1000

-- by_prefix: tasks by id prefix, for shortened ids
select team, id, number, workspace, agent, goal, status, host, session, started_at, last_event_at,
  ended_at, observations, tokens
from task where team = :team and id >= :low and id < :high order by id limit 6

-- list: newest activity first, resumed after a (time, id) pair
select team, id, number, workspace, agent, goal, status, host, session, started_at, last_event_at,
  ended_at, observations, tokens
from task
where team = :team and (:workspace is null or workspace = :workspace)
  and (:status is null or status = :status)
  and (last_event_at < :before_at or (last_event_at = :before_at and id < :before_id))
order by last_event_at desc, id desc limit :limit

-- list_in: tasks of one workspace, using their index
select team, id, number, workspace, agent, goal, status, host, session, started_at, last_event_at,
  ended_at, observations, tokens
from task
where team = :team and workspace = :workspace and (:status is null or status = :status)
  and last_event_at <= :before_at and (last_event_at < :before_at or id < :before_id)
order by last_event_at desc, id desc limit :limit

-- list_completed: completed tasks of one workspace, using their index
select team, id, number, workspace, agent, goal, status, host, session, started_at, last_event_at,
  ended_at, observations, tokens
from task
where team = :team and workspace = :workspace and status = 'completed'
  and last_event_at <= :before_at and (last_event_at < :before_at or id < :before_id)
order by last_event_at desc, id desc limit :limit

-- insert: insert a task with a number that no task has or had
insert into task (team, id, number, workspace, agent, goal, status, host, session, started_at,
  last_event_at, ended_at, observations, tokens)
values (:team, :id, 1 + (select coalesce(max(number), 0) from (
    select max(number) as number from task where team = :team
    union all
    select max(cast(substr(event_key, 6) as integer)) from tombstone
    where team = :team and event_key >= 'task ' and event_key < 'task!') numbers),
  :workspace, :agent, :goal, :status, :host, :session, :started_at, :last_event_at, :ended_at,
  :observations, :tokens)

-- update: update the mutable fields of a task
update task set goal = :goal, status = :status, started_at = :started_at,
  last_event_at = :last_event_at, ended_at = :ended_at, observations = :observations,
  tokens = :tokens
where team = :team and id = :id

-- delete: delete a task without observations
delete from task where team = :team and id = :id

-- contents: contents of the blocks, checkpoints and notes that are deleted with a task
select v.value_hash from block b
join block_version v on v.team = b.team and v.block = b.id
where b.team = :team and b.task = :task
union select state_hash from checkpoint where team = :team and task = :task
union select state_hash from task_state where team = :team and task = :task
union select summary_hash from compaction where team = :team and task = :task
union select lines_hash from compression where team = :team and task = :task

-- count: number of a team's tasks
select count(*) from task where team = :team and (:workspace is null or workspace = :workspace)

-- goals: goals of the tasks of some messages by people, with the messages
select t.id, t.goal, o.id, o.summary from observation o
join task t on t.team = o.team and t.id = o.task
where o.team = :team and o.id in :ids[] and o.type = 'message' and o.origin = 'human'

-- restate: recompute the tokens, and a goal whose message was forgotten
update task set goal = case when :lost = 0 then goal else coalesce((
  select summary from observation o
  where o.team = task.team and o.task = task.id and o.type = 'message' and o.origin = 'human'
  order by o.sequence limit 1), '') end,
  tokens = (select coalesce(sum(o.tokens), 0) from observation o
  where o.team = task.team and o.task = task.id)
where team = :team and id = :id

-- captured: tokens captured in a workspace
select coalesce(sum(tokens), 0) from task
where team = :team and (:workspace is null or workspace = :workspace)

-- captured_in: tokens captured in a task
select tokens from task
where team = :team and id = :task and (:workspace is null or workspace = :workspace)

-- kinds_of_steps: whether tasks used tools for work, whether an agent acted, and what a host wrote
select task,
  max(case when tool is not null and salience <> 'low' then 1 else 0 end),
  max(case when tool is not null or (type = 'message' and origin = 'agent') then 1 else 0 end),
  max(case when type = 'message' and origin = 'generated' then 1 else 0 end)
from observation where team = :team and task in :tasks[] group by task
