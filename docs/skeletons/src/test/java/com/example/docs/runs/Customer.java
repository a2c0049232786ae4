package com.example.docs.runs;

record Customer(String id, String email) {}
