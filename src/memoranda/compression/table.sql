-- put: over the one of the same stage or task
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

-- hash_of: the text of one
select lines_hash from compression where team = :team and task = :task and stage = :stage

-- columns: of a compression, with its text
select c.team, c.task, c.stage, c.until_sequence, c.tokens, c.source_tokens, c.target, c.facts, c.kept,
  c.contradictions, c.method, c.cost, c.declined, c.tries, c.created_at, c.lines_hash, b.codec, b.data
from compression c join blob b on b.team = c.team and b.hash = c.lines_hash

-- of: that of a stage, or of the task
where c.team = :team and c.task = :task and c.stage = :stage

-- listed: those of a task and its stages
where c.team = :team and c.task = :task order by c.stage

-- sizes: of those of a task and its stages
select stage, tokens from compression where team = :team and task = :task order by stage

-- owed: tokens of the stages before one beyond a target that they all had
select sum(tokens - source_tokens / target) from compression
where team = :team and task = :task and stage > 0 and stage < :stage and target = :target

-- some: those of some stages of a task
where c.team = :team and c.task = :task and c.stage in :stages[int] order by c.stage

-- kept: how many facts those of a task and its stages keep, and how often they contradict them
select distinct facts, kept, contradictions from compression where team = :team and task = :task

-- standing: how far each stage of a task is told, and how much that was
select stage, until_sequence, source_tokens from compression where team = :team and task = :task

-- recent: newest first, without their texts
select c.team, c.task, c.stage, c.until_sequence, c.tokens, c.source_tokens, c.target, c.facts, c.kept,
  c.contradictions, c.method, c.cost, c.declined, c.tries, c.created_at, c.lines_hash, '', null
from compression c join task t on t.team = c.team and t.id = c.task
where c.team = :team and (:workspace is null or t.workspace = :workspace)
  and (:task is null or c.task = :task)
order by c.created_at desc, c.task, c.stage limit :limit

-- hashes: the texts of some tasks
select lines_hash from compression where team = :team and task in :tasks[]

-- drop: those of some tasks
delete from compression where team = :team and task in :tasks[]
