-- tasks_of_workspace: all tasks of a workspace
select id from task where team = :team and workspace = :workspace order by id

-- tasks_of_agent: tasks that an agent worked on, or in which it owns something
select id from task t where team = :team and (agent = :agent
  or exists (select 1 from observation o
    where o.team = t.team and o.task = t.id and o.agent = :agent)
  or exists (select 1 from checkpoint c
    where c.team = t.team and c.task = t.id and c.agent = :agent)
  or exists (select 1 from block b where b.team = t.team and b.task = t.id
    and (b.agent = :agent or exists (select 1 from block_holder h
      where h.team = b.team and h.block = b.id and h.agent = :agent))))
order by id

-- blocks_of_workspace: blocks of a workspace, and those without a workspace in its checkpoints
select id from block b where team = :team and (workspace = :workspace or task in :tasks[]
  or (workspace is null and task is null and exists (
    select 1 from checkpoint_block h
    join checkpoint c on c.team = h.team and c.id = h.checkpoint
    where h.team = b.team and h.block = b.id and c.task in :tasks[])))
order by id

-- blocks_of_agent: blocks that an agent owns or holds, and visible ones of its tasks
select id from block b where team = :team and (
  agent = :agent
  or exists (select 1 from block_holder h
    where h.team = b.team and h.block = b.id and h.agent = :agent)
  or (shared = 0 and agent is null and (task in :tasks[]
    or (task is null and exists (
      select 1 from checkpoint_block h
      join checkpoint c on c.team = h.team and c.id = h.checkpoint
      where h.team = b.team and h.block = b.id and c.task in :tasks[])))))
order by id

-- workspaces_of_agent: workspaces of an agent's tasks, memories and blocks
select workspace from task where team = :team and id in :tasks[]
union
select workspace from memory
where team = :team and visibility = 'agent' and agent = :agent and workspace is not null
union
select workspace from block where team = :team and id in :blocks[] and workspace is not null

-- agents_of_workspace: agents named in a workspace
select id from agent where team = :team and id in (
  select agent from task where team = :team and workspace = :workspace
  union select agent from memory where team = :team and workspace = :workspace
  union select agent from block where team = :team and id in :blocks[]
  union select agent from block_version where team = :team and block in :blocks[]
  union select agent from block_holder where team = :team and block in :blocks[]
  union select agent from checkpoint where team = :team and task in :tasks[])
order by id

-- known: whether an agent with this name has any records
select 1 from agent where team = :team and id = :agent
union select 1 from memory where team = :team and agent = :agent and visibility = 'agent'
