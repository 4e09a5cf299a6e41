-- ended: fixes of some errors, unordered (an order would make the engine scan a team)
select resolves, id, ref from observation
where team = :team and resolves is not null and resolves in :ids[]

-- resting: memories by the observations on which they are based
select observation, memory from memory_evidence where team = :team and observation in :ids[]
order by observation, memory desc limit :limit

-- captured: number of errors of tasks
select task, count(*) from observation
where team = :team and type = 'error' and task in :tasks[] group by task

-- open_errors: number of unresolved captured errors by task
select task, count(*) from open_error where team = :team and task in :tasks[] group by task

-- recorded_errors: number of manually recorded errors, and of open ones, by task
select task, count(*), sum(case when recovery = '' then 1 else 0 end) from error_note
where team = :team and task in :tasks[] and observation is null group by task
