-- whole_scope: observations, checked one by one
select o.id from observation o where o.team = :team

-- among: some observations
select o.id from observation o where o.team = :team and o.id in :among[]

-- tagged: observations found by tag
select o.id from observation o
where o.team = :team and o.id in (
    select r.observation from observation_ref r
    where r.team = :team and r.kind = 'tag' and r.value in :tags[]
    group by r.observation having count(*) >= :tags_needed)

-- typed: observations found with the index on types
select o.id from observation o
where o.team = :team and o.workspace = :workspace and o.type in :types[]

-- conditions: conditions on an observation, however it was found
  and (:workspace is null or o.workspace = :workspace)
  and (:task is null or o.task = :task) and o.repeats is null
  and (:all_types = 1 or o.type in :types[])
  and (:all_stages = 1 or o.stage in :stages[])
  and (:since is null or o.created_at >= :since)
  and (:until is null or o.created_at < :until)
  and (:known_by is null or o.recorded_at <= :known_by)
  and (:happened_by is null or o.created_at <= :happened_by)
  and (:quarantined = 1 or o.salience <> 'quarantined')

-- tags: conditions on tags
  and (:tags_needed = 0 or :tags_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'tag' and r.value in :tags[]))

-- newest: newest first, limited
order by o.id desc limit :limit

-- at_most: limited and unordered, since an order would determine the query plan
limit :limit

-- all_memories: memories, checked one by one
select id, tags from memory where team = :team

-- seen_memories: memories in scope that are visible and match, unordered
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (:team_wide = 0 or workspace is null)
  and (visibility <> 'agent' or agent = :agent)
  and status in :statuses[] and (:all_categories = 1 or category in :categories[])
  and (:since is null or created_at >= :since)
  and (:until is null or created_at < :until)
  and (:known_by is null or created_at <= :known_by)
  and (:holds_at is null or valid_from is null or valid_from <= :holds_at)
  and (:holds_at is null or valid_until is null or valid_until > :holds_at)
  and confidence >= :least_confidence

-- latest: newest first
order by id desc

-- verdicts: which records are memories, with the following condition as a column
select id, tags, case when id is not null

-- of_some: the requested records
  then 1 else 0 end from memory where team = :team and id in :among[]
