-- put: store the encoding of a memory
insert into memory_encoding (team, memory, content_hash, version, summary, entities, facts, keywords,
  constraints, outcomes, compared)
select :team, id, content_hash, :version, '', :entities, :facts, :keywords,
  :constraints, :outcomes, :compared
from memory where team = :team and id = :memory
on conflict (team, memory) do update set content_hash = excluded.content_hash,
  version = excluded.version, entities = excluded.entities, facts = excluded.facts,
  keywords = excluded.keywords, constraints = excluded.constraints, outcomes = excluded.outcomes, compared = excluded.compared

-- by_memory: what one holds, unless its content is another by now
select e.memory, e.version, e.entities, e.facts, e.keywords, e.constraints, e.outcomes, e.compared
from memory_encoding e
join memory m on m.team = e.team and m.id = e.memory and m.content_hash = e.content_hash
where e.team = :team and e.memory = :memory

-- waiting: memories to be analysed
select u.memory from memory_unread u
join memory m on m.team = u.team and m.id = u.memory
left join memory_encoding e on e.team = u.team and e.memory = u.memory
where u.team = :team and (e.memory is null or e.content_hash <> m.content_hash)
union
select memory from memory_encoding where team = :team and version < :version
order by memory limit :limit

-- uncompared: memories to be compared; they are few and looked up by id, since a join would start with all
with waiting as materialized (
  select memory, compared from memory_encoding where team = :team and compared = ''
  union all
  select memory, compared from memory_encoding
  where team = :team and :model <> '' and compared > '' and compared < :model
  union all
  select memory, compared from memory_encoding
  where team = :team and :model <> '' and compared > :model)
select memory from waiting
where (select m.status from memory m where m.team = :team and m.id = waiting.memory)
    in ('approved', 'pending')
  and (compared = '' or exists (select 1 from passage p
    where p.team = :team and p.source = waiting.memory and p.model || '' = :model))
order by memory limit :limit

-- mark: record how a memory was compared
update memory_encoding set compared = :compared where team = :team and memory = :memory

-- delete: delete the analysis of one memory
delete from memory_encoding where team = :team and memory = :memory

-- clear: delete all analyses
delete from memory_encoding where team = :team

-- unread: mark all memories for analysis
insert into memory_unread (team, memory) select team, id from memory where team = :team
on conflict do nothing
