-- reserve: reserve a key for a request that begins, unless it is taken
insert into kept_answer (team, caller, key, request_hash, status, body, created_at)
values (:team, :caller, :key, :request_hash, null, null, :created_at)
on conflict (team, caller, key) do nothing

-- of: stored response of a key
select team, caller, key, request_hash, status, body, created_at from kept_answer
where team = :team and caller = :caller and key = :key

-- finish: store the response
update kept_answer set status = :status, body = :body
where team = :team and caller = :caller and key = :key and status is null

-- release: delete the key of a request that did nothing
delete from kept_answer
where team = :team and caller = :caller and key = :key and status is null

-- drop_before: delete keys by age
delete from kept_answer where team = :team and created_at < :time

-- clear: clear the texts and keep the keys
update kept_answer set body = null where team = :team and body is not null
