-- reserve: begun; nothing where the key is taken
insert into kept_answer (team, caller, key, request_hash, status, body, created_at)
values (:team, :caller, :key, :request_hash, null, null, :created_at)
on conflict (team, caller, key) do nothing

-- of: the stored answer of a key
select team, caller, key, request_hash, status, body, created_at from kept_answer
where team = :team and caller = :caller and key = :key

-- finish: keep the answer
update kept_answer set status = :status, body = :body
where team = :team and caller = :caller and key = :key and status is null

-- release: the request did nothing
delete from kept_answer
where team = :team and caller = :caller and key = :key and status is null

-- drop_before: by age
delete from kept_answer where team = :team and created_at < :time

-- clear: the texts alone
update kept_answer set body = null where team = :team and body is not null
