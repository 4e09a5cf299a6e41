-- put: something that a memory refers to
insert into memory_reference (team, memory, kind, value) values (:team, :memory, :kind, :value)
on conflict do nothing

-- of_memory: all of one
select kind, value from memory_reference
where team = :team and memory = :memory order by kind, value

-- served: memories of several tasks that were completed, one of them this
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
