-- A worker takes the jobs of one team, so the index it looks at begins with the team.
drop index job_by_time;
create index job_by_time on job (team, state, run_at);
