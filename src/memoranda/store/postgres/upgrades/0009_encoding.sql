-- Analyses of memories, their relations, references and validity.

-- Derived from the content; recreated by rebuild-index.
create table memory_encoding (
  team plain not null,
  memory plain not null,
  content_hash plain not null, -- hash of the analysed content
  version bigint not null, -- version of the analysis
  type plain, -- main function of the content: report, decide, promise, prefer or judge
  summary plain not null,
  entities plain not null, -- JSON, like the following columns
  facts plain not null,
  keywords plain not null,
  constraints plain not null,
  outcomes plain not null,
  compared plain not null, -- '', 'words' or the model whose vectors were used to compare it with others
  primary key (team, memory),
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index memory_encoding_by_compared on memory_encoding (team, compared);

create table memory_link (
  team plain not null,
  memory plain not null,
  kind plain not null,
  other plain not null,
  reason plain not null,
  actor plain not null, -- creator of the link
  created_at bigint not null,
  primary key (team, memory, kind, other),
  foreign key (team, memory) references memory (team, id) on delete cascade,
  foreign key (team, other) references memory (team, id) on delete cascade
);
create index memory_link_by_other on memory_link (team, other);
create index memory_link_by_kind on memory_link (team, kind, memory, other);

create table memory_reference (
  team plain not null,
  memory plain not null,
  kind plain not null,
  value plain not null,
  primary key (team, memory, kind, value),
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index memory_reference_by_value on memory_reference (team, kind, value);

create index memory_by_beginning on memory (team, valid_from) where valid_from is not null;
create index memory_by_end on memory (team, valid_until) where valid_until is not null;

select protect('memory_encoding');
select protect('memory_link');
select protect('memory_reference');
grant select, insert, update, delete on memory_encoding, memory_link, memory_reference
  to memoranda_app;
