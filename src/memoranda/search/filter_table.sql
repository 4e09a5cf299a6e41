-- whole_scope: observations, looked at one by one
select o.id from observation o where o.team = :team

-- among: some observations
select o.id from observation o where o.team = :team and o.id in :among[]

-- tagged: by way of the tags
select o.id from observation o
where o.team = :team and o.id in (
    select r.observation from observation_ref r
    where r.team = :team and r.kind = 'tag' and r.value in :tags[]
    group by r.observation having count(*) >= :tags_needed)

-- typed: by way of the index on types
select o.id from observation o
where o.team = :team and o.workspace = :workspace and o.type in :types[]

-- conditions: what an observation must have, whichever way it was come by
  and (:workspace is null or o.workspace = :workspace)
  and (:task is null or o.task = :task) and o.repeats is null
  and (:all_types = 1 or o.type in :types[])
  and (:all_stages = 1 or o.stage in :stages[])
  and (:since is null or o.created_at >= :since)
  and (:until is null or o.created_at < :until)
  and (:known_by is null or o.recorded_at <= :known_by)
  and (:happened_by is null or o.created_at <= :happened_by)
  and (:quarantined = 1 or o.salience <> 'quarantined')

-- tags: the tags as well
  and (:tags_needed = 0 or :tags_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'tag' and r.value in :tags[]))

-- newest: in order, and not too many
order by o.id desc limit :limit

-- at_most: not too many, in no order: an order would choose the way they are come by
limit :limit

-- all_memories: looked at one by one
select id, tags from memory where team = :team

-- seen_memories: those of them in scope that the caller may see and that pass, in no order
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

-- verdicts: those of some records that are memories, with what follows as a condition
select id, tags, case when id is not null

-- of_some: those that are asked for
  then 1 else 0 end from memory where team = :team and id in :among[]
