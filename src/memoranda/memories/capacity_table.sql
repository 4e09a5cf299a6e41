-- surplus: of each place, what is beyond a number of memories, the least useful
with ranked as (
  select id, critical, protected, row_number() over (
    partition by coalesce(workspace, ''), case when visibility = 'agent' then agent end
    order by critical desc, protected desc, uses desc, coalesce(last_used, updated_at) desc,
      id desc) as place
  from memory
  where team = :team and kind = :kind and status = 'approved' and valid_until is null)
select id from ranked
where place > :capacity and critical = 0 and protected = 0
order by place desc limit :limit
