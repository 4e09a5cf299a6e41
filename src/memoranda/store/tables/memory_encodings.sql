-- put: what a memory holds now
insert into memory_encoding (team, memory, content_hash, version, type, summary, entities, facts,
  keywords, constraints, outcomes, compared)
select :team, id, content_hash, :version, :type, :summary, :entities, :facts,
  :keywords, :constraints, :outcomes, :compared
from memory where team = :team and id = :memory
on conflict (team, memory) do update set content_hash = excluded.content_hash,
  version = excluded.version, type = excluded.type, summary = excluded.summary,
  entities = excluded.entities, facts = excluded.facts, keywords = excluded.keywords,
  constraints = excluded.constraints, outcomes = excluded.outcomes, compared = excluded.compared

-- by_memory: what one holds, unless its content is another by now
select e.memory, e.version, e.type, e.summary, e.entities, e.facts, e.keywords, e.constraints,
  e.outcomes, e.compared
from memory_encoding e
join memory m on m.team = e.team and m.id = e.memory and m.content_hash = e.content_hash
where e.team = :team and e.memory = :memory

-- waiting: memories to take apart
select m.id from memory m left join memory_encoding e on e.team = m.team and e.memory = m.id
where m.team = :team
  and (e.memory is null or e.version < :version or e.content_hash <> m.content_hash)
order by m.id limit :limit

-- uncompared: memories in use to compare with others
select e.memory from memory_encoding e join memory m on m.team = e.team and m.id = e.memory
where e.team = :team and m.status in ('approved', 'pending')
  and (e.compared = '' or (:model <> '' and e.compared <> :model and exists (
    select 1 from passage p
    where p.team = e.team and p.source = e.memory and p.model = :model)))
order by e.memory limit :limit

-- mark: by what a memory was compared
update memory_encoding set compared = :compared where team = :team and memory = :memory

-- delete: of one memory
delete from memory_encoding where team = :team and memory = :memory

-- clear: of all
delete from memory_encoding where team = :team
