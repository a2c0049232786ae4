package com.example.docs.migrating;

interface Bank {

    String transfer(String iban, long cents, String key);
}
