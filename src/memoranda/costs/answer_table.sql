-- expect: reserve a row for an answer, which is deleted when anything in the task is forgotten
insert into model_answer (team, task, hash, data, created_at)
select :team, :task, :hash, null, :now
where exists (select 1 from task where team = :team and id = :task)
on conflict (team, task, hash) do nothing

-- put: store an answer in its reserved row
update model_answer set data = :data
where team = :team and task = :task and hash = :hash and data is null

-- give_up: delete the reserved row of a failed call
delete from model_answer where team = :team and task = :task and hash = :hash and data is null

-- find: one answer
select data from model_answer
where team = :team and task = :task and hash = :hash and data is not null

-- trim: delete the oldest answers beyond a number
delete from model_answer where team = :team and created_at <= (
  select created_at from model_answer where team = :team
  order by created_at desc limit 1 offset :most)
