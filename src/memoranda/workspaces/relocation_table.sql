-- aliases: everything that leads to a workspace leads to another
update workspace_alias set workspace = :target where team = :team and workspace = :source

-- some_aliases: some of it does
update workspace_alias set workspace = :target
where team = :team and workspace = :source and alias in :ids[]

-- documents: the documents of a workspace, none of which the other has too
update document set workspace = :target where team = :team and workspace = :source

-- shared_documents: names under which both have a document
select a.space, a.key from document a join document b
  on b.team = a.team and b.workspace = :target and b.space = a.space and b.key = a.key
where a.team = :team and a.workspace = :source order by a.space, a.key limit 5

-- memories_of_tasks: memories whose evidence is all of some tasks
select m.id from memory m where m.team = :team and m.workspace = :source
  and exists (select 1 from memory_evidence e where e.team = m.team and e.memory = m.id)
  and not exists (
    select 1 from memory_evidence e
    left join observation o on o.team = e.team and o.id = e.observation and o.task in :ids[]
    where e.team = m.team and e.memory = m.id and o.id is null)
order by m.id

-- shared_labels: blocks whose label another block of the target has, with the size of their value
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

-- relabel: another label for a block
update block set label = :label where team = :team and id = :id

-- delete_block: a block is deleted, and can be brought back
update block set deleted_at = :now where team = :team and id = :id

-- drop_jobs: work that waits for a workspace
delete from job where team = :team and subject = :source and state = 'pending'

-- drop: a workspace
delete from workspace where team = :team and id = :source

-- numbers: the tasks of a workspace
select number from task where team = :team and workspace = :source order by number

-- observations: those of a workspace
select id from observation where team = :team and workspace = :source order by id

-- observations_of_task: those of a task of it
select id from observation
where team = :team and workspace = :source and task = :task order by id

-- memories: those of a workspace
select id from memory where team = :team and workspace = :source order by id

-- shown: memories that are not private to an agent
select id from memory where team = :team and id in :ids[] and visibility <> 'agent' order by id
