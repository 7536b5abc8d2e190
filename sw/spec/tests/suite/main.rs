//! What is written from the tables: register documentation, C header, SystemRDL.

mod c_header;
mod documentation;
mod systemrdl;
