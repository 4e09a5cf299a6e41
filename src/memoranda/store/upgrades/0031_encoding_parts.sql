-- The type and the main sentence of a memory's text are no longer determined.
alter table memory_encoding drop column type;
alter table memory_encoding drop column summary;
