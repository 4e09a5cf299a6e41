-- Words of Cyrillic, Greek, Arabic and some other scripts are indexed by their stems. Jobs update
-- what earlier versions indexed, one for each team and table.

-- For this statement, the owner must see the rows of every team.
alter table workspace no force row level security;
alter table memory no force row level security;
alter table job no force row level security;
insert into job (team, id, kind, subject, state, attempts, run_at, created_at)
select known.team, replace(gen_random_uuid()::text, '-', ''), 'index_text', part.name || ':',
  'pending', 0, 0, 0
from (select team from workspace union select team from memory) as known
cross join (values ('observation'), ('memory')) as part (name);
alter table workspace force row level security;
alter table memory force row level security;
alter table job force row level security;
