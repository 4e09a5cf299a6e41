-- insert: a checkpoint, numbered within its task
insert into checkpoint (team, id, task, sequence, parent, phase, description, position, tokens, cost,
  duration_ms, agent, created_at, state_hash)
select :team, :id, :task, coalesce(max(sequence), 0) + 1, :parent, :phase, :description, :position,
  :tokens, :cost, :duration_ms, :agent, :created_at, :state_hash
from checkpoint where team = :team and task = :task

-- insert_block: insert the version of a block in a checkpoint
insert into checkpoint_block (team, checkpoint, block, version, size_limit)
values (:team, :checkpoint, :block, :version, :size_limit)

-- columns: of a checkpoint
select team, id, task, sequence, parent, phase, description, position, tokens, cost, duration_ms,
  agent, created_at, state_hash
from checkpoint

-- by_id: one checkpoint
where team = :team and id = :id

-- by_prefix: checkpoints of a task by id prefix
where team = :team and task = :task and id >= :low and id < :high order by id limit 6

-- by_sequence: one checkpoint of a task by its number
where team = :team and task = :task and sequence = :sequence

-- listed: checkpoints of a task, newest first
where team = :team and task = :task and sequence < :before order by sequence desc limit :limit

-- parents: parents of a task's checkpoints
select id, parent from checkpoint where team = :team and task = :task

-- blocks: the block versions of a checkpoint
select block, version, size_limit from checkpoint_block
where team = :team and checkpoint = :checkpoint order by block

-- state: the recorded state of a task
select head, state_hash, updated_at from task_state where team = :team and task = :task

-- put_state: insert or replace the recorded state of a task
insert into task_state (team, task, head, state_hash, updated_at)
values (:team, :task, :head, :state_hash, :now)
on conflict (team, task) do update set head = excluded.head, state_hash = excluded.state_hash,
  updated_at = excluded.updated_at

-- by_phase: effort of each phase
select phase, count(*), sum(tokens), sum(cost), sum(duration_ms) from checkpoint
where team = :team and (:task is null or task = :task)
  and (:workspace is null or task in (select t.id from task t
    where t.team = checkpoint.team and t.workspace = :workspace))
group by phase order by phase

-- by_task: effort of each task
select task, count(*), sum(tokens), sum(cost), sum(duration_ms) from checkpoint
where team = :team and (:task is null or task = :task)
  and (:workspace is null or task in (select t.id from task t
    where t.team = checkpoint.team and t.workspace = :workspace))
group by task order by task

-- by_agent: effort of each agent
select coalesce(agent, ''), count(*), sum(tokens), sum(cost), sum(duration_ms) from checkpoint
where team = :team and (:task is null or task = :task)
  and (:workspace is null or task in (select t.id from task t
    where t.team = checkpoint.team and t.workspace = :workspace))
group by coalesce(agent, '') order by coalesce(agent, '')
