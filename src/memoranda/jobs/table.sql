-- enqueue: insert a job, unless one for the subject is waiting
insert into job (team, id, kind, subject, state, attempts, run_at, created_at)
select :team, :id, :kind, :subject, 'pending', 0, :run_at, :now
where not exists (
  select 1 from job
  where team = :team and kind = :kind and subject = :subject and state = 'pending')

-- due: the next job to run; an expired lease counts as pending
select team, id, kind, subject, state, attempts, run_at, error from job
where team = :team and kind not in :without[]
  and ((state = 'pending' and run_at <= :due) or (state = 'running' and lease_until <= :now))
order by run_at, id limit 1

-- lease: lease a job
update job set state = 'running', attempts = attempts + 1, lease_until = :lease_until,
  lease_owner = :owner
where team = :team and id = :id

-- finish: a final state; only the holder of the newest lease may set it
update job set state = :state, error = :error, ended_at = :now, lease_until = null
where team = :team and id = :id and lease_owner = :owner and attempts = :attempts
  and state = 'running'

-- retry: schedule a retry and store the error
update job set state = 'pending', error = :error, run_at = :run_at, lease_until = null
where team = :team and id = :id and lease_owner = :owner and attempts = :attempts
  and state = 'running'

-- counts: jobs by state
select state, count(*) from job where team = :team group by state

-- failed: errors of failed jobs, newest first
select team, id, kind, subject, state, attempts, run_at, error from job
where team = :team and state = 'failed' order by ended_at desc, id desc limit :limit

-- waiting: number of unfinished jobs of a kind
select count(*) from job where team = :team and kind = :kind and state in ('pending', 'running')

-- any_waiting: one unfinished job of some kinds
select id from job where team = :team and state in ('pending', 'running') and kind in :kinds[]
limit 1

-- backlog: jobs that are due, running or to be retried; an expired lease counts as due
select kind, standing, count(*) from (
  select kind, case
    when state = 'running' and lease_until > :now then 'running'
    when state = 'running' or run_at <= :now then 'due'
    else 'retried' end as standing
  from job
  where team = :team and (state = 'running'
    or (state = 'pending' and (run_at <= :now or attempts > 0)))) as unfinished
group by kind, standing

-- give_up: mark a job as failed that no worker completed
update job set state = 'failed', error = :error, ended_at = :now, lease_until = null
where team = :team and id = :id

-- sweep: delete finished jobs older than a time, found by due time, since no job ends before it is due
delete from job
where team = :team and state = 'done' and run_at < :before and ended_at < :before
