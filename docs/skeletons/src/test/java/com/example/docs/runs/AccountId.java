package com.example.docs.runs;

record AccountId(long value) {}
