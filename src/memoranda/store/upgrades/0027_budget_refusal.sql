-- Model calls that a team's budget did not cover, in the last month with any.
alter table model_budget add column refused_month text;
alter table model_budget add column refused integer not null default 0;
alter table model_budget add column refused_cost integer not null default 0; -- highest cost of such a call
