-- expect: a place for an answer, which goes when anything of the task is forgotten
insert into model_answer (team, task, hash, data, created_at)
select :team, :task, :hash, null, :now
where exists (select 1 from task where team = :team and id = :task)
on conflict (team, task, hash) do nothing

-- put: an answer that is still waited for
update model_answer set data = :data
where team = :team and task = :task and hash = :hash and data is null

-- give_up: an answer that will not come
delete from model_answer where team = :team and task = :task and hash = :hash and data is null

-- find: one answer
select data from model_answer
where team = :team and task = :task and hash = :hash and data is not null

-- trim: the oldest beyond a number
delete from model_answer where team = :team and created_at <= (
  select created_at from model_answer where team = :team
  order by created_at desc limit 1 offset :most)
