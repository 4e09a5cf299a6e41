-- aliases: move all aliases of a workspace to another
update workspace_alias set workspace = :target where team = :team and workspace = :source

-- some_aliases: move some aliases
update workspace_alias set workspace = :target
where team = :team and workspace = :source and alias in :ids[]

-- documents: move documents of a workspace, none of which the other one has
update document set workspace = :target where team = :team and workspace = :source

-- shared_documents: names for which both have a document
select a.space, a.key from document a join document b
  on b.team = a.team and b.workspace = :target and b.space = a.space and b.key = a.key
where a.team = :team and a.workspace = :source order by a.space, a.key limit 5

-- memories_of_tasks: memories whose evidence is only in some tasks
select m.id from memory m where m.team = :team and m.workspace = :source
  and exists (select 1 from memory_evidence e where e.team = m.team and e.memory = m.id)
  and not exists (
    select 1 from memory_evidence e
    left join observation o on o.team = e.team and o.id = e.observation and o.task in :ids[]
    where e.team = m.team and e.memory = m.id and o.id is null)
order by m.id

-- shared_labels: blocks whose label another block of the target has, with their sizes
select a.id, a.label, a.task, a.agent, a.shared, v.size from block a
join block b on b.team = a.team and b.workspace = :target and b.label = a.label
  and coalesce(b.task, '') = coalesce(a.task, '') and coalesce(b.agent, '') = coalesce(a.agent, '')
  and b.shared = a.shared and b.deleted_at is null
join block_version v on v.team = a.team and v.block = a.id and v.version = a.version
where a.team = :team and a.workspace = :source and a.deleted_at is null order by a.id

-- label_taken: whether a block of either workspace has a label
select 1 from block where team = :team and workspace in (:source, :target) and label = :label
  and coalesce(task, '') = coalesce(:task, '') and coalesce(agent, '') = coalesce(:agent, '')
  and shared = :shared and deleted_at is null

-- relabel: change the label of a block
update block set label = :label where team = :team and id = :id

-- delete_block: mark a block as deleted, so that it can be restored
update block set deleted_at = :now where team = :team and id = :id

-- drop_jobs: delete waiting jobs of a workspace
delete from job where team = :team and subject = :source and state = 'pending'

-- drop: delete a workspace
delete from workspace where team = :team and id = :source

-- numbers: numbers of a workspace's tasks
select number from task where team = :team and workspace = :source order by number

-- observations: observations of a workspace
select id from observation where team = :team and workspace = :source order by id

-- observations_of_task: observations of one of its tasks
select id from observation
where team = :team and workspace = :source and task = :task order by id

-- memories: memories of a workspace
select id from memory where team = :team and workspace = :source order by id

-- shown: memories that are not private to an agent
select id from memory where team = :team and id in :ids[] and visibility <> 'agent' order by id
