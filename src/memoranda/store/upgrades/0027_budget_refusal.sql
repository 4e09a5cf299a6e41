-- The model calls that a team's budget did not cover, in the last month that had any.
alter table model_budget add column refused_month text;
alter table model_budget add column refused integer not null default 0;
alter table model_budget add column refused_cost integer not null default 0; -- the highest of one
