-- insert: one memory
insert into memory (team, id, workspace, agent, visibility, title, content, kind, category, tags,
  origin, confidence, critical, critical_reason, protected, status, tokens, created_at,
  updated_at, source, approved_by, valid_from, valid_until, superseded_by, uses, last_used,
  content_hash)
values (:team, :id, :workspace, :agent, :visibility, :title, :content, :kind, :category, :tags,
  :origin, :confidence, :critical, :critical_reason, :protected, :status, :tokens, :created_at,
  :updated_at, :source, :approved_by, :valid_from, :valid_until, :superseded_by, :uses, :last_used,
  :content_hash)

-- link: an observation that a memory came from
insert into memory_evidence (team, memory, observation) values (:team, :memory, :observation)
on conflict do nothing

-- evidence: the evidence of a memory, oldest first
select observation from memory_evidence
where team = :team and memory = :memory order by observation

-- resting_on: the memories that came from some observations (distinct would walk all evidence)
select memory from memory_evidence where team = :team and observation in :ids[]

-- by_ids: whole rows that the caller may see
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at, source,
  approved_by, valid_from, valid_until, superseded_by, uses, last_used
from memory
where team = :team and id in :ids[] and (visibility <> 'agent' or agent = :agent)

-- by_content: the first that says this in this place and holds (ordered by itself it reads them all)
with same as materialized (
  select id from memory
  where team = :team and content_hash in (:content_hash, :exact_hash)
    and (:now is null or valid_until is null or valid_until > :now)
    and coalesce(workspace, '') = coalesce(:workspace, '')
    and coalesce(case when visibility = 'agent' then agent end, '') = coalesce(:agent, '')
    and status in ('approved', 'pending'))
select id from same order by id limit 1

-- by_prefix: ids with a prefix that the caller may see
select id from memory
where team = :team and id >= :low and id < :high and (visibility <> 'agent' or agent = :agent)
order by id limit 6

-- of_shared_prefix: those of some ids whose first 18 characters another memory has too
select distinct one.id from memory one
join memory other on other.team = one.team and other.id <> one.id
  and other.id >= substr(one.id, 1, 18) and other.id < substr(one.id, 1, 18) || '~'
where one.team = :team and one.id in :ids[]

-- list: newest first, what the caller may see
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

-- reworded: what the caller may see of a status, newest first; of approved ones those with versions
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

-- critical: what a context of this scope must hold, oldest first
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

-- critical_ids: what no answer in this scope should lack, oldest first
select id from memory
where team = :team and critical = 1 and status = 'approved'
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent)
  and (:now is null or valid_from is null or valid_from <= :now)
  and (:now is null or valid_until is null or valid_until > :now)
order by id

-- update: one memory as it is from now on
update memory set workspace = :workspace, visibility = :visibility, title = :title,
  content = :content, kind = :kind, category = :category, tags = :tags, critical = :critical,
  critical_reason = :critical_reason, protected = :protected, status = :status, tokens = :tokens,
  updated_at = :updated_at, approved_by = :approved_by, valid_from = :valid_from,
  valid_until = :valid_until, superseded_by = :superseded_by, content_hash = :content_hash
where team = :team and id = :id

-- delete: rows themselves
delete from memory where team = :team and id in :ids[]

-- count: how many memories the caller may see in each status; approved ones no longer valid apart
select case when status = 'approved' and valid_until <= :now then 'ended' else status end, count(*)
from memory
where team = :team and (:workspace is null or workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent)
group by 1

-- of_any_agent: whole rows, whoever may see them
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at, source,
  approved_by, valid_from, valid_until, superseded_by, uses, last_used
from memory where team = :team and id in :ids[]

-- set_confidence: by hand
update memory set confidence = :confidence where team = :team and id = :id

-- reinforce: one more use, and more confidence
update memory set uses = uses + 1, last_used = :now,
  confidence = case when confidence + :step > 1 then 1 else confidence + :step end
where team = :team and id = :id

-- place: memories of the audience of a workspace, newest first
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

-- unread: search and comparing have to look at it
insert into memory_unread (team, memory) values (:team, :id) on conflict do nothing

-- settle: those that both have looked at as they are now
delete from memory_unread where team = :team
  and exists (select 1 from entry e
    where e.team = memory_unread.team and e.source = memory_unread.memory)
  and exists (select 1 from memory m
    join memory_encoding e
      on e.team = m.team and e.memory = m.id and e.content_hash = m.content_hash
    where m.team = memory_unread.team and m.id = memory_unread.memory)

-- ids_after: those that full text knows, in the order of their ids, a part
select id from memory where team = :team and id > :after order by id limit :limit
