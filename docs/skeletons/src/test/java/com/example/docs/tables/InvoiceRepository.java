package com.example.docs.tables;

import org.springframework.data.repository.CrudRepository;

interface InvoiceRepository extends CrudRepository<Invoice, Long> {}
