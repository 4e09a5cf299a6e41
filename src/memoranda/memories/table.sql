-- insert: one memory
insert into memory (team, id, workspace, agent, visibility, title, content, kind, category, tags,
  origin, confidence, critical, critical_reason, protected, status, tokens, created_at,
  updated_at, source, approved_by, valid_from, valid_until, superseded_by, uses, last_used,
  content_hash)
values (:team, :id, :workspace, :agent, :visibility, :title, :content, :kind, :category, :tags,
  :origin, :confidence, :critical, :critical_reason, :protected, :status, :tokens, :created_at,
  :updated_at, :source, :approved_by, :valid_from, :valid_until, :superseded_by, :uses, :last_used,
  :content_hash)

-- link: insert an observation as evidence
insert into memory_evidence (team, memory, observation) values (:team, :memory, :observation)
on conflict do nothing

-- evidence: the evidence of a memory, oldest first
select observation from memory_evidence
where team = :team and memory = :memory order by observation

-- sources: the evidence of several memories
select memory, observation from memory_evidence where team = :team and memory in :ids[]

-- resting_on: memories based on some observations (distinct would scan all evidence)
select memory from memory_evidence where team = :team and observation in :ids[]

-- by_ids: full rows visible to the caller
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at, source,
  approved_by, valid_from, valid_until, superseded_by, uses, last_used
from memory
where team = :team and id in :ids[] and (visibility <> 'agent' or agent = :agent)

-- by_content: first valid memory with the given content in a place (ordering by id alone would read all)
with same as materialized (
  select id from memory
  where team = :team and content_hash in (:content_hash, :exact_hash)
    and (:now is null or valid_until is null or valid_until > :now)
    and coalesce(workspace, '') = coalesce(:workspace, '')
    and coalesce(case when visibility = 'agent' then agent end, '') = coalesce(:agent, '')
    and status in ('approved', 'pending'))
select id from same order by id limit 1

-- by_prefix: ids with a prefix, visible to the caller
select id from memory
where team = :team and id >= :low and id < :high and (visibility <> 'agent' or agent = :agent)
order by id limit 6

-- of_shared_prefix: the given ids whose first 18 characters another memory shares
select distinct one.id from memory one
join memory other on other.team = one.team and other.id <> one.id
  and other.id >= substr(one.id, 1, 18) and other.id < substr(one.id, 1, 18) || '~'
where one.team = :team and one.id in :ids[]

-- list: memories visible to the caller, newest first
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at, source,
  approved_by, valid_from, valid_until, superseded_by, uses, last_used
from memory
where team = :team and id < :before_id
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent)
  and (:status is null or status = :status)
  and (:category is null or category = :category)
  and (:episodic = 1 or kind <> 'episodic')
  and (:critical = 0 or critical = 1)
  and (:begun_by is null or valid_from is null or valid_from <= :begun_by)
  and (:unended_at is null or valid_until is null or valid_until > :unended_at)
order by id desc limit :limit

-- reworded: visible memories of a status, newest first; approved ones only with versions
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at, source,
  approved_by, valid_from, valid_until, superseded_by, uses, last_used
from memory
where team = :team and status = :status
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent)
  and (status <> 'approved' or exists (
    select 1 from memory_version v where v.team = memory.team and v.memory = memory.id))
order by id desc limit :limit

-- critical: critical memories for a context in this scope, oldest first
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at, source,
  approved_by, valid_from, valid_until, superseded_by, uses, last_used
from memory
where team = :team and critical = 1 and status = 'approved'
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent)
  and (:now is null or valid_from is null or valid_from <= :now)
  and (:now is null or valid_until is null or valid_until > :now)
order by id

-- critical_ids: ids of critical memories for answers in this scope, oldest first
select id from memory
where team = :team and critical = 1 and status = 'approved'
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent)
  and (:now is null or valid_from is null or valid_from <= :now)
  and (:now is null or valid_until is null or valid_until > :now)
order by id

-- update: update a memory
update memory set workspace = :workspace, visibility = :visibility, title = :title,
  content = :content, kind = :kind, category = :category, tags = :tags, origin = :origin,
  critical = :critical, critical_reason = :critical_reason, protected = :protected, status = :status, tokens = :tokens,
  updated_at = :updated_at, approved_by = :approved_by, valid_from = :valid_from,
  valid_until = :valid_until, superseded_by = :superseded_by, content_hash = :content_hash
where team = :team and id = :id

-- delete: delete memory rows
delete from memory where team = :team and id in :ids[]

-- count: number of visible memories by status; approved ones that are no longer valid are counted separately
select case when status = 'approved' and valid_until <= :now then 'ended' else status end, count(*)
from memory
where team = :team and (:workspace is null or workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent)
group by 1

-- of_any_agent: full rows, regardless of visibility
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at, source,
  approved_by, valid_from, valid_until, superseded_by, uses, last_used
from memory where team = :team and id in :ids[]

-- set_confidence: set the confidence manually
update memory set confidence = :confidence where team = :team and id = :id

-- reinforce: add a use and raise the confidence
update memory set uses = uses + 1, last_used = :now,
  confidence = case when confidence + :step > 1 then 1 else confidence + :step end
where team = :team and id = :id

-- place: memories of a workspace, newest first
select id from (
  select id from (
    select id from memory
    where team = :team and workspace = :workspace and status in ('approved', 'pending')
      and ((:agent is null and visibility <> 'agent') or (visibility = 'agent' and agent = :agent))
    order by id desc limit :limit
  ) as own
  union all
  select id from (
    select id from memory
    where team = :team and workspace is null and status in ('approved', 'pending')
      and ((:agent is null and visibility <> 'agent') or (visibility = 'agent' and agent = :agent))
    order by id desc limit :limit
  ) as general
) as found
order by id desc limit :limit

-- place_of_team: memories of the same audience in every workspace, newest first
select id from memory
where team = :team and status in ('approved', 'pending')
  and ((:agent is null and visibility <> 'agent') or (visibility = 'agent' and agent = :agent))
order by id desc limit :limit

-- unread: mark a memory for indexing and comparison
insert into memory_unread (team, memory) values (:team, :id) on conflict do nothing

-- settle: remove the marks of memories that are indexed and compared in their current state
delete from memory_unread where team = :team
  and exists (select 1 from entry e
    where e.team = memory_unread.team and e.source = memory_unread.memory)
  and exists (select 1 from memory m
    join memory_encoding e
      on e.team = m.team and e.memory = m.id and e.content_hash = m.content_hash
    where m.team = memory_unread.team and m.id = memory_unread.memory)

-- ids_after: a page of ids in the full-text index, in order
select id from memory where team = :team and id > :after order by id limit :limit
