-- put: insert a link unless it exists
insert into memory_link (team, memory, kind, other, reason, actor, created_at)
values (:team, :memory, :kind, :other, :reason, :actor, :created_at) on conflict do nothing

-- of_memory: links at either end, newest first
select team, memory, kind, other, reason, actor, created_at from memory_link
where team = :team and (memory = :memory or other = :memory)
order by created_at desc, memory desc, kind, other desc limit :limit

-- among: links between some memories
select team, memory, kind, other, reason, actor, created_at from memory_link
where team = :team and kind = :kind and memory in :ids[] and other in :ids[]
order by created_at, memory, other

-- conflicts: links whose ends are both valid and visible, newest first
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

-- drop_derived: delete links that an actor derived by comparison
delete from memory_link
where team = :team and (memory = :memory or other = :memory) and actor = :actor
  and kind <> 'supersedes'

-- put_references: insert a reference of a memory
insert into memory_reference (team, memory, kind, value) values (:team, :memory, :kind, :value)
on conflict do nothing

-- references_of: references of a memory
select kind, value from memory_reference
where team = :team and memory = :memory order by kind, value

-- served: memories used in several completed tasks, including this one
select m.id from memory m
where m.team = :team and m.status = 'approved' and m.critical = 0 and m.critical_reason is null
  and m.id in (
    select memory from memory_reference
    where team = :team and kind = 'execution' and value = :task)
  and :least <= (
    select count(*) from memory_reference r
    join task t on t.team = r.team and t.id = r.value and t.status = 'completed'
    where r.team = m.team and r.memory = m.id and r.kind = 'execution')
order by m.id
