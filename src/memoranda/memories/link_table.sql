-- put: a link, once
insert into memory_link (team, memory, kind, other, reason, actor, created_at)
values (:team, :memory, :kind, :other, :reason, :actor, :created_at) on conflict do nothing

-- of_memory: at either end, newest first
select team, memory, kind, other, reason, actor, created_at from memory_link
where team = :team and (memory = :memory or other = :memory)
order by created_at desc, memory desc, kind, other desc limit :limit

-- among: those that join two of some memories
select team, memory, kind, other, reason, actor, created_at from memory_link
where team = :team and kind = :kind and memory in :ids[] and other in :ids[]
order by created_at, memory, other

-- conflicts: both ends hold and are seen, newest first
select l.team, l.memory, l.kind, l.other, l.reason, l.actor, l.created_at from memory_link l
join memory a on a.team = l.team and a.id = l.memory
join memory b on b.team = l.team and b.id = l.other
where l.team = :team and l.kind = 'contradicts' and (l.memory, l.other) < (:memory, :other)
  and (:workspace is null or a.workspace is null or a.workspace = :workspace)
  and (:workspace is null or b.workspace is null or b.workspace = :workspace)
  and (a.visibility <> 'agent' or a.agent = :agent)
  and (b.visibility <> 'agent' or b.agent = :agent)
  and a.status in ('approved', 'pending') and b.status in ('approved', 'pending')
  and (a.valid_until is null or a.valid_until > :now)
  and (b.valid_until is null or b.valid_until > :now)
order by l.memory desc, l.other desc limit :limit

-- drop_derived: what an actor found by comparing
delete from memory_link
where team = :team and (memory = :memory or other = :memory) and actor = :actor
  and kind <> 'supersedes'
