-- insert: a block, whose first value is a version of its own
insert into block (team, id, label, workspace, task, agent, shared, description, size_limit,
  read_only, version, created_at, updated_at, accessed_at, deleted_at)
values (:team, :id, :label, :workspace, :task, :agent, :shared, :description, :size_limit,
  :read_only, :version, :created_at, :updated_at, :accessed_at, :deleted_at)

-- insert_version: what a block says from now on
insert into block_version (team, block, version, value_hash, size, tokens, kind, source, agent,
  reason, created_at)
values (:team, :block, :version, :value_hash, :size, :tokens, :kind, :source, :agent, :reason,
  :created_at)

-- update: all that can change about a block
update block set label = :label, description = :description, size_limit = :size_limit,
  read_only = :read_only, version = :version, updated_at = :updated_at, deleted_at = :deleted_at
where team = :team and id = :id

-- touch: that a block was read
update block set accessed_at = :now where team = :team and id in :ids[] and accessed_at < :now

-- columns: of a block with its newest value
select b.team, b.id, b.label, b.workspace, b.task, b.agent, b.shared, b.description,
  b.size_limit, b.read_only, b.version, v.tokens, v.source, b.created_at, b.updated_at,
  b.accessed_at, b.deleted_at, v.value_hash, c.codec, c.data
from block b
join block_version v on v.team = b.team and v.block = b.id and v.version = b.version
join blob c on c.team = v.team and c.hash = v.value_hash

-- by_ids: some blocks, whoever may see them
where b.team = :team and b.id in :ids[]

-- seen: the blocks that a caller sees; a person sees every one
where b.team = :team
  and (:workspace is null or b.workspace is null or b.workspace = :workspace)
  and (:agent is null
    or (b.shared = 0 and (b.agent is null or b.agent = :agent))
    or exists (select 1 from block_holder h
      where h.team = b.team and h.block = b.id and h.agent = :agent))

-- there: those that were not put away
  and b.deleted_at is null

-- gone: those that were put away
  and b.deleted_at is not null

-- of_task: those of wider places and of one task; of no task if there is none
  and (b.task is null or b.task = :task)

-- of_label: those of one label
  and b.label = :label

-- of_ids: some of them
  and b.id in :ids[]

-- by_label: in the order of their labels, those after a (label, id) pair
  and (b.label > :after_label or (b.label = :after_label and b.id > :after_id))
order by b.label, b.id limit :limit

-- in_place: the newest of a label in one place
where b.team = :team and b.label = :label and coalesce(b.workspace, '') = :workspace
  and coalesce(b.task, '') = :task and coalesce(b.agent, '') = :agent and b.shared = :shared

-- newest: one of them
order by b.updated_at desc, b.id desc limit 1

-- history: the values of a block, newest first
select v.block, v.version, v.tokens, v.kind, v.source, v.agent, v.reason, v.created_at,
  v.value_hash, c.codec, c.data
from block_version v
join blob c on c.team = v.team and c.hash = v.value_hash
where v.team = :team and v.block = :block and v.version < :before
order by v.version desc limit :limit

-- attach: an agent holds a block from now on
insert into block_holder (team, block, agent, role, attached_at)
values (:team, :block, :agent, :role, :attached_at)
on conflict (team, block, agent) do update set role = excluded.role

-- detach: an agent no longer holds a block
delete from block_holder where team = :team and block = :block and agent = :agent

-- holders: who holds a block
select agent, role, attached_at from block_holder
where team = :team and block = :block order by agent
