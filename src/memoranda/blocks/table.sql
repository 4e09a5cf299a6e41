-- insert: insert a block, whose first value is a version
insert into block (team, id, label, workspace, task, agent, shared, description, size_limit,
  read_only, version, created_at, updated_at, accessed_at, deleted_at)
values (:team, :id, :label, :workspace, :task, :agent, :shared, :description, :size_limit,
  :read_only, :version, :created_at, :updated_at, :accessed_at, :deleted_at)

-- insert_version: insert a new version of a block's value
insert into block_version (team, block, version, value_hash, size, tokens, kind, source, agent,
  reason, created_at)
values (:team, :block, :version, :value_hash, :size, :tokens, :kind, :source, :agent, :reason,
  :created_at)

-- update: update the mutable fields of a block
update block set label = :label, description = :description, size_limit = :size_limit,
  read_only = :read_only, version = :version, updated_at = :updated_at, deleted_at = :deleted_at
where team = :team and id = :id

-- touch: record that a block was read
update block set accessed_at = :now where team = :team and id in :ids[] and accessed_at < :now

-- columns: columns of a block with its newest value
select b.team, b.id, b.label, b.workspace, b.task, b.agent, b.shared, b.description,
  b.size_limit, b.read_only, b.version, v.tokens, v.source, b.created_at, b.updated_at,
  b.accessed_at, b.deleted_at, v.value_hash, c.codec, c.data
from block b
join block_version v on v.team = b.team and v.block = b.id and v.version = b.version
join blob c on c.team = v.team and c.hash = v.value_hash

-- by_ids: blocks by id, regardless of visibility
where b.team = :team and b.id in :ids[]

-- seen: blocks visible to a caller; people see all blocks, or all but the private ones of agents
where b.team = :team
  and (:workspace is null or b.workspace is null or b.workspace = :workspace)
  and ((:agent is null and (:private = 1 or b.agent is null))
    or (b.shared = 0 and (b.agent is null or b.agent = :agent))
    or exists (select 1 from block_holder h
      where h.team = b.team and h.block = b.id and h.agent = :agent))

-- there: blocks that are not deleted
  and b.deleted_at is null

-- gone: deleted blocks
  and b.deleted_at is not null

-- of_task: blocks outside tasks and in one task, if there is one
  and (b.task is null or b.task = :task)

-- of_label: blocks with a label
  and b.label = :label

-- of_ids: blocks with some ids
  and b.id in :ids[]

-- by_label: by label, starting after a (label, id) pair
  and (b.label > :after_label or (b.label = :after_label and b.id > :after_id))
order by b.label, b.id limit :limit

-- in_place: newest block with a label in one place
where b.team = :team and b.label = :label and coalesce(b.workspace, '') = :workspace
  and coalesce(b.task, '') = :task and coalesce(b.agent, '') = :agent and b.shared = :shared

-- newest: one of the blocks
order by b.updated_at desc, b.id desc limit 1

-- history: values of a block, newest first
select v.block, v.version, v.tokens, v.kind, v.source, v.agent, v.reason, v.created_at,
  v.value_hash, c.codec, c.data
from block_version v
join blob c on c.team = v.team and c.hash = v.value_hash
where v.team = :team and v.block = :block and v.version < :before
order by v.version desc limit :limit

-- attach: attach a block to an agent
insert into block_holder (team, block, agent, role, attached_at)
values (:team, :block, :agent, :role, :attached_at)
on conflict (team, block, agent) do update set role = excluded.role

-- detach: detach a block from an agent
delete from block_holder where team = :team and block = :block and agent = :agent

-- holders: holders of a block
select agent, role, attached_at from block_holder
where team = :team and block = :block order by agent
