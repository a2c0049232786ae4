package com.example.docs.claims;

/** The input of the action, with the version of the report that the client has read. */
record Layout(String paper, long version) {}
