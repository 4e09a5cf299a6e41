-- put: store the state of a memory before a change
insert into memory_version (team, memory, version, state, actor, reason, created_at)
values (:team, :memory, :version, :state, :actor, :reason, :created_at)

-- newest: number of the last version
select max(version) from memory_version where team = :team and memory = :memory

-- listed: versions, newest first
select team, memory, version, state, actor, reason, created_at from memory_version
where team = :team and memory = :memory and version < :before order by version desc limit :limit

-- of_memories: versions of some memories, newest first
select team, memory, version, state, actor, reason, created_at from memory_version
where team = :team and memory in :memories[]
order by created_at desc, memory, version desc limit :limit

-- by_number: one version
select team, memory, version, state, actor, reason, created_at from memory_version
where team = :team and memory = :memory and version = :version
