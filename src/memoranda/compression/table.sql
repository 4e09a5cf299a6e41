-- put: store a compression, replacing that of the same stage or task
insert into compression (team, task, stage, until_sequence, lines_hash, tokens, source_tokens, target,
  facts, kept, contradictions, method, cost, declined, tries, created_at)
values (:team, :task, :stage, :until_sequence, :lines_hash, :tokens, :source_tokens, :target, :facts,
  :kept, :contradictions, :method, :cost, :declined, :tries, :created_at)
on conflict (team, task, stage) do update set until_sequence = excluded.until_sequence,
  lines_hash = excluded.lines_hash, tokens = excluded.tokens,
  source_tokens = excluded.source_tokens, target = excluded.target, facts = excluded.facts,
  kept = excluded.kept, contradictions = excluded.contradictions, method = excluded.method,
  cost = excluded.cost,
  declined = excluded.declined, tries = excluded.tries, created_at = excluded.created_at

-- hash_of: hash of the text of a compression
select lines_hash from compression where team = :team and task = :task and stage = :stage

-- columns: columns of a compression with its text
select c.team, c.task, c.stage, c.until_sequence, c.tokens, c.source_tokens, c.target, c.facts, c.kept,
  c.contradictions, c.method, c.cost, c.declined, c.tries, c.created_at, c.lines_hash, b.codec, b.data
from compression c join blob b on b.team = c.team and b.hash = c.lines_hash

-- of: compression of a stage or the task
where c.team = :team and c.task = :task and c.stage = :stage

-- listed: compressions of a task and its stages
where c.team = :team and c.task = :task order by c.stage

-- sizes: sizes of the compressions of a task and its stages
select stage, tokens from compression where team = :team and task = :task order by stage

-- owed: tokens of the stages before one that exceed a common target
select sum(tokens - source_tokens / target) from compression
where team = :team and task = :task and stage > 0 and stage < :stage and target = :target

-- some: compressions of some stages of a task
where c.team = :team and c.task = :task and c.stage in :stages[int] order by c.stage

-- kept: facts kept by the compressions of a task and its stages, and contradictions
select distinct facts, kept, contradictions from compression where team = :team and task = :task

-- standing: range of each stage covered by its summary, and its size
select stage, until_sequence, source_tokens from compression where team = :team and task = :task

-- recent: compressions without texts, newest first
select c.team, c.task, c.stage, c.until_sequence, c.tokens, c.source_tokens, c.target, c.facts, c.kept,
  c.contradictions, c.method, c.cost, c.declined, c.tries, c.created_at, c.lines_hash, '', null
from compression c join task t on t.team = c.team and t.id = c.task
where c.team = :team and (:workspace is null or t.workspace = :workspace)
  and (:task is null or c.task = :task)
order by c.created_at desc, c.task, c.stage limit :limit

-- hashes: hashes of the texts of some tasks' compressions
select lines_hash from compression where team = :team and task in :tasks[]

-- drop: delete the compressions of some tasks
delete from compression where team = :team and task in :tasks[]
