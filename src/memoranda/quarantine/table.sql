-- insert: quarantine an observation; keep a person's earlier decision
insert into quarantine (team, observation, reason, salience, created_at, held, decided_by, decided_at)
values (:team, :observation, :reason, :salience, :created_at, :held, :decided_by, :decided_at)
on conflict (team, observation) do nothing

-- decide: store a person's decision to release or quarantine an observation
update quarantine set held = :held, decided_by = :decided_by, decided_at = :decided_at
where team = :team and observation = :observation and held <> :held

-- mark: set the salience of an observation
update observation set salience = :salience where team = :team and id = :observation

-- with_repeats: an observation and its repeats
select id from observation where team = :team and (id = :observation or repeats = :observation)

-- by_ids: records of observations that are or were quarantined
select observation, reason, salience, created_at, held, decided_by, decided_at
from quarantine where team = :team and observation in :ids[]

-- listed: records, newest first
select q.observation, q.reason, q.salience, q.created_at, q.held, q.decided_by, q.decided_at
from quarantine q join observation o on o.team = q.team and o.id = q.observation
where q.team = :team and q.held = :held and q.observation < :before
  and (:workspace is null or o.workspace = :workspace)
  and (:task is null or o.task = :task)
order by q.observation desc limit :limit

-- any_quarantined: whether any observation is quarantined
select 1 from quarantine where team = :team and held = 1 limit 1

-- quarantined_ids: which of some observations are quarantined
select observation from quarantine where team = :team and held = 1 and observation in :ids[]

-- quarantined_refs: which of some short names are quarantined
select o.ref from observation o join quarantine q on q.team = o.team and q.observation = o.id
where o.team = :team and o.ref in :refs[] and q.held = 1

-- released_contents: the given contents that a person has released
select distinct o.content_hash
from observation o join quarantine q on q.team = o.team and q.observation = o.id
where o.team = :team and o.content_hash in :hashes[] and q.held = 0

-- counts: numbers of quarantined and released observations by reason (cross join, so that these rows are scanned)
select q.reason, q.held, count(*) from quarantine q cross join observation o
where q.team = :team and o.team = q.team and o.id = q.observation
  and (:workspace is null or o.workspace = :workspace)
  and (:task is null or o.task = :task)
group by q.reason, q.held order by q.reason
