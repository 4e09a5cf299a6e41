-- insert: one memory
insert into memory (team, id, workspace, agent, visibility, title, content, kind, category, tags,
  origin, confidence, critical, critical_reason, protected, status, tokens, created_at,
  updated_at, content_hash)
values (:team, :id, :workspace, :agent, :visibility, :title, :content, :kind, :category, :tags,
  :origin, :confidence, :critical, :critical_reason, :protected, :status, :tokens, :created_at,
  :updated_at, :content_hash)

-- link: an observation that a memory came from
insert into memory_evidence (team, memory, observation) values (:team, :memory, :observation)
on conflict do nothing

-- evidence: what a memory came from, oldest first
select observation from memory_evidence
where team = :team and memory = :memory order by observation

-- by_ids: whole rows that the caller may see
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at
from memory
where team = :team and id in :ids[] and (visibility <> 'agent' or agent = :agent)

-- by_content: the first memory that says exactly this in this place
select id from memory
where team = :team and content_hash = :content_hash
  and coalesce(workspace, '') = coalesce(:workspace, '')
  and coalesce(agent, '') = coalesce(:agent, '') and status in ('approved', 'pending')
order by id limit 1

-- by_prefix: ids that start so
select id from memory where team = :team and id >= :low and id < :high order by id limit 2

-- list: newest first, what the caller may see
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at
from memory
where team = :team and id < :before_id
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent)
  and (:status is null or status = :status)
  and (:category is null or category = :category)
order by id desc limit :limit

-- critical: what a context of this workspace must hold, oldest first
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at
from memory
where team = :team and critical = 1 and status = 'approved'
  and (workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent)
order by id

-- critical_ids: what no answer in this scope should lack, oldest first
select id from memory
where team = :team and critical = 1 and status = 'approved'
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (visibility <> 'agent' or agent = :agent)
order by id

-- update: one memory as it is from now on
update memory set workspace = :workspace, visibility = :visibility, title = :title,
  content = :content, kind = :kind, category = :category, tags = :tags, critical = :critical,
  critical_reason = :critical_reason, protected = :protected, status = :status, tokens = :tokens,
  updated_at = :updated_at, content_hash = :content_hash
where team = :team and id = :id

-- delete: rows themselves
delete from memory where team = :team and id in :ids[]

-- count: how many memories there are in each status
select status, count(*) from memory
where team = :team and (:workspace is null or workspace is null or workspace = :workspace)
group by status

-- of_any_agent: whole rows, whoever may see them
select team, id, workspace, agent, visibility, title, content, kind, category, tags, origin,
  confidence, critical, critical_reason, protected, status, tokens, created_at, updated_at
from memory where team = :team and id in :ids[]
