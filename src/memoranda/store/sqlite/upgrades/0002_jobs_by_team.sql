-- A worker takes the jobs of one team, so its index starts with the team.
drop index job_by_time;
create index job_by_time on job (team, state, run_at);
