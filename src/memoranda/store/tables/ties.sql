-- ended: which fixes ended some errors, the newest first (a fix comes after its error)
select resolves, ref from observation
where team = :team and workspace = :workspace and type = 'fix' and id > :first and resolves in :ids[]
order by id desc

-- resting: which memories rest on which observations
select observation, memory from memory_evidence where team = :team and observation in :ids[]
order by observation, memory desc limit :limit

-- captured: how many errors tasks of a workspace have had
select task, count(*) from observation
where team = :team and workspace = :workspace and type = 'error' and task in :tasks[] group by task

-- standing: how many captured errors of tasks nothing has ended
select task, count(*) from open_error where team = :team and task in :tasks[] group by task

-- told: how many errors of tasks were told by hand, and how many of them are not over
select task, count(*), sum(case when recovery = '' then 1 else 0 end) from error_note
where team = :team and task in :tasks[] and observation is null group by task
